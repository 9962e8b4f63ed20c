// docs.js: the search, the mark of the current section, and trying an operation of the reference. The pages work without it.
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const live = document.getElementById('live');

  // On wide windows, the list of pages is open.
  const wide = matchMedia('(min-width: 72.01rem)');
  const fit = () => { for (const part of all('details.pages')) part.open = wide.matches; };
  wide.addEventListener('change', fit);
  fit();

  // Each section gets a link to itself. A fragment that names a language selects its tab.
  for (const heading of all('main section > h2[id], #error-table [id] > th')) {
    heading.insertAdjacentHTML('afterbegin', `<a class="anchor" href="#${heading.closest('[id]').id}" aria-label="Link to this section">#</a>`);
  }
  const choose = () => document.getElementById(`language-${location.hash.slice(1)}`)?.click();
  addEventListener('hashchange', choose);
  choose();

  // Typing in the search replaces the page and its sidebar by those of the results. Enter opens the first result.
  const search = document.querySelector('form[role=search]');
  if (search) {
    const input = search.q;
    const partsOf = (root) => ['main', '.pages'].map((part) => root.querySelector(part));
    const page = partsOf(document);
    let shown = page;
    const show = (other) => {
      shown.forEach((part, i) => part.replaceWith(other[i]));
      shown = other;
      shown[1].open = wide.matches;
    };
    let answered = ''; // the query whose results are shown
    const clear = () => { input.value = ''; show(page); };
    const find = async () => {
      const query = input.value;
      if (!query.trim()) return show(page);
      const answer = await fetch(`${search.action}?${new URLSearchParams(new FormData(search))}`);
      if (!answer.ok) return;
      const found = partsOf(new DOMParser().parseFromString(await answer.text(), 'text/html'));
      if (query !== input.value) return; // a newer query has been sent
      answered = query;
      show(found);
      const [results] = found;
      results.addEventListener('click', (e) => { if (e.target.closest('a')) clear(); });
      live.textContent = results.querySelector('.lede').textContent;
    };
    input.addEventListener('input', find);
    input.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') clear();
      if (e.key === 'ArrowDown') document.querySelector('.results a')?.focus();
    });
    search.addEventListener('submit', async (e) => {
      e.preventDefault();
      await find();
      if (answered === input.value) document.querySelector('.results a')?.click(); // not a result of the previous query
    });
  }

  // The sidebar marks the section that is read: the last one whose heading has passed the top fifth of the window.
  const links = all('.sidebar a[href^="#"]').map((link) => ({ link, heading: document.getElementById(link.hash.slice(1)) }));
  const mark = () => {
    if (!links[0].heading.isConnected) return; // results are shown
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = links.filter(({ heading }) => heading.getBoundingClientRect().top < innerHeight / 5);
    // At the end of the page several sections are in sight: mark the one in the address, or the last.
    const asked = () => links.find(({ link, heading }) => link.hash === location.hash && heading.getBoundingClientRect().top > 0);
    const current = atEnd && scrollY > 0 ? asked() ?? links[links.length - 1] : passed.pop() ?? links[0];
    for (const item of links) {
      if (item !== current) item.link.removeAttribute('aria-current');
      else item.link.setAttribute('aria-current', 'location');
    }
  };
  if (links.length) {
    addEventListener('scroll', mark, { passive: true });
    addEventListener('resize', mark);
    addEventListener('hashchange', mark);
    mark();
  }

  // The request of "Try it" goes to this service, without the cookies of the session. At most 20,000 characters are shown.
  for (const details of all('[data-try]')) {
    const [form, out] = [details.querySelector('form'), document.querySelector('pre.answer')];
    const key = form.querySelector('#try-key');
    details.hidden = false;
    addEventListener('pagehide', () => { key.value = ''; });
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      let path = form.dataset.path;
      const query = new URLSearchParams();
      for (const field of all('[data-in]', form)) {
        if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(field.value.trim()));
        else if (field.value.trim()) query.set(field.name, field.value.trim());
      }
      out.hidden = false;
      out.textContent = 'Sending…';
      try {
        const address = path + (`${query}` ? `?${query}` : '');
        const answer = await fetch(address, { credentials: 'omit', headers: { Authorization: `Bearer ${key.value.trim()}` } });
        const names = ['content-type', 'ratelimit', 'retry-after', 'x-dg-report-suppressed', 'x-request-id'].filter((name) => answer.headers.has(name));
        out.textContent = `GET ${address}\n\n${answer.status}\n${names.map((name) => `${name}: ${answer.headers.get(name)}\n`).join('')}\n${await start(answer)}`;
        live.textContent = `Answered ${answer.status}.`;
        out.dataset.answered = answer.status;
        out.scrollIntoView({ block: 'nearest' });
      } catch (error) {
        out.textContent = `No response: ${error.message}`;
      }
    });
  }

  async function start(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let part; text.length < 20000 && !(part = await reader.read()).done;) text += part.value;
    if (text.length >= 20000) { reader.cancel(); return `${text.slice(0, 20000)}\n… and more`; }
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  }
})();
