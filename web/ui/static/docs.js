// docs.js: the search on /docs, the mark of the current section, and trying an operation of the reference. The pages work without it.
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const live = document.getElementById('live');

  // The list of pages is open where it has room.
  const pages = document.querySelector('details.pages');
  const wide = matchMedia('(min-width: 72.01rem)').matches;
  if (pages) pages.open = wide;

  // Each section can be linked. An address of a language chooses its tab.
  for (const heading of all('main section > h2[id]')) {
    heading.insertAdjacentHTML('beforeend', `<a class="anchor" href="#${heading.id}" aria-label="Link to this section">#</a>`);
  }
  const choose = () => document.getElementById(`language-${location.hash.slice(1)}`)?.click();
  addEventListener('hashchange', choose);
  choose();

  // Search: sections, and rows of tables and lists, that hold every word.
  for (const form of all('form[data-search]')) {
    const input = form.querySelector('input');
    const count = form.querySelector('.hint');
    const sections = all('main section').map((section) => ({ section, text: section.textContent.toLowerCase(),
      parts: all('tbody tr, li, dt', section).map((part) => ({ part, text: (part.textContent + (part.matches('dt') ? part.nextElementSibling.textContent : '')).toLowerCase() })) }));
    const show = (part, shown) => { part.hidden = !shown; if (part.matches('dt')) part.nextElementSibling.hidden = !shown; };
    const find = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const holds = (text) => words.every((word) => text.includes(word));
      let found = 0;
      for (const { section, text, parts } of sections) {
        section.hidden = !holds(text);
        found += !section.hidden;
        const some = parts.some((p) => holds(p.text)); // else the words are in the text around them
        for (const p of parts) show(p.part, !some || holds(p.text));
      }
      document.querySelector('[data-none]').hidden = found > 0;
      mark();
      count.textContent = live.textContent = words.length ? `${found} ${found === 1 ? 'section' : 'sections'} found.` : '';
    };
    form.hidden = false;
    form.addEventListener('submit', (e) => e.preventDefault());
    input.addEventListener('input', find);
    addEventListener('hashchange', () => { if (input.value) { input.value = ''; find(); document.getElementById(location.hash.slice(1))?.scrollIntoView(); } });
  }

  // The sidebar marks the section that is read: the last one whose heading has passed the top fifth of the window.
  const links = all('.sidebar a[href^="#"]').map((link) => ({ link, heading: document.getElementById(link.hash.slice(1)) }));
  const mark = () => {
    const shown = links.filter(({ heading }) => heading.checkVisibility());
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = shown.filter(({ heading }) => heading.getBoundingClientRect().top < innerHeight / 5);
    const current = atEnd && scrollY > 0 ? shown.at(-1) : passed.at(-1) ?? shown[0];
    for (const item of links) {
      item.link.parentElement.hidden = !shown.includes(item);
      if (item !== current) item.link.removeAttribute('aria-current');
      else item.link.setAttribute('aria-current', 'location');
    }
  };
  if (links.length) {
    addEventListener('scroll', mark, { passive: true });
    addEventListener('resize', mark);
    mark();
  }

  // Try it: the request goes to this service, without the cookies of the session. At most 20,000 characters are shown.
  for (const details of all('[data-try]')) {
    const [form, out] = [details.querySelector('form'), details.querySelector('pre')];
    const key = form.querySelector('#try-key');
    details.hidden = false;
    details.open = wide;
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
      } catch (error) {
        out.textContent = `No answer: ${error.message}`;
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
