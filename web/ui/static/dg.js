// dg.js: copy buttons, dialogs, the guard of one-time secrets, local times. Every screen works without it.
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const live = document.getElementById('live');
  const say = (words) => { if (live) { live.textContent = ''; setTimeout(() => { live.textContent = words; }, 50); } };
  history.replaceState(null, '', location.href);  // after a POST, the history entry becomes a GET
  const plain = (e) => !e.defaultPrevented && e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey;

  // Some browsers restore pages from their back/forward cache despite no-store, even after a sign-out. A reload could send a form
  // again, so the address is loaded instead.
  addEventListener('pageshow', (e) => { if (e.persisted) location.replace(location.pathname + location.search); });

  // The server writes times in UTC. They are shown in the reader's time zone instead, in the same form, with UTC in the tooltip.
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const styles = { day: {}, minute: clock, second: { ...clock, second: '2-digit' } };
  const local = (at, precision, timeZone, timeZoneName) => {
    const style = { timeZone, timeZoneName, year: 'numeric', month: 'short', day: 'numeric', ...styles[precision] };
    const p = {};
    for (const { type, value } of new Intl.DateTimeFormat('en-US', style).formatToParts(at)) p[type] = value;
    const day = `${p.day} ${p.month} ${p.year}`;
    const time = [p.hour, p.minute, p.second].filter(Boolean).join(':');
    return time ? [`${day}, ${time}`, p.timeZoneName].join(' ').trim() : day;
  };
  // Screen readers announce a change of a live region, not its initial content: the notice moves there after loading.
  for (const note of all('.note[role=status]')) { note.removeAttribute('role'); say(note.textContent); }

  // init prepares the elements in root. It runs again when a choice replaces the content of the page.
  let armed = false;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const init = (root) => {
    for (const time of all('time[data-local]', root)) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      time.title = time.textContent.trim();
      time.textContent = local(at, time.dataset.local, time.closest('[data-tz]')?.dataset.tz, time.closest('.kv, .choices') ? 'short' : undefined);
      if (time.closest('[data-brief]')) time.textContent = time.textContent.replace(` ${new Date().getFullYear()}`, '');
    }
    if (zone !== 'UTC') for (const el of all('[data-zone]', root)) el.textContent = el.textContent.replace('UTC', `your time zone (${zone})`);

    // Pointing at a bar of a chart, touching it, or an arrow key shows its values.
    for (const cursor of all('.plot .cursor', root)) {
      const plot = cursor.parentNode;
      const readout = plot.querySelector('.readout');
      let width = 0;
      const bars = all('#c-t tbody tr').map((row) => {
        const { days, now, before } = row.dataset;
        const from = width;
        width += Number(days);
        return { from, to: width, words: [`${row.cells[0].textContent.trim()}, ${now}`, before].filter(Boolean) };
      });
      let at = bars.length - 1;
      const read = (i, shown) => {
        at = Math.max(0, Math.min(bars.length - 1, i));
        const { from, to, words } = bars[at];
        cursor.setAttribute('aria-valuenow', at + 1);
        cursor.setAttribute('aria-valuetext', words.join('. Before: '));
        if (!shown) return;
        readout.textContent = words.join('\n');
        const x = cursor.offsetLeft + (from + to) / 2 / width * cursor.offsetWidth;
        const beside = from + to < width ? x + 12 : x - 12 - readout.offsetWidth;
        readout.style.left = `${Math.max(0, Math.min(plot.clientWidth - readout.offsetWidth, beside))}px`;
        for (const mark of all('rect.at', plot)) {
          mark.setAttribute('x', 100 * from);
          mark.setAttribute('width', 100 * (to - from));
        }
      };
      const point = (e) => {
        const { left, width: pixels } = cursor.getBoundingClientRect();
        const day = Math.min((e.clientX - left) / pixels * width, width - .5);
        read(bars.findIndex(({ to }) => day < to), true);
      };
      cursor.addEventListener('pointerleave', () => { if (document.activeElement !== cursor) readout.textContent = ''; });
      cursor.addEventListener('pointerdown', point);
      cursor.addEventListener('pointermove', point);
      cursor.addEventListener('focus', () => read(at, true));
      cursor.addEventListener('keydown', (e) => {
        const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - 7, PageUp: at + 7, Home: 0, End: bars.length - 1 }[e.key];
        if (to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        read(to, true);
      });
      read(at, false);
      cursor.hidden = readout.hidden = false;
    }

    for (const field of all('input[type=date]', root)) {
      const mark = () => field.toggleAttribute('data-empty', !field.value);
      field.addEventListener('input', mark);
      mark();
    }

    // Copy buttons are hidden without script. A live region and the button's text report the result.
    for (const button of all('button[data-copy]', root)) {
      const words = button.textContent;
      let timer;
      button.hidden = false;
      button.ariaLabel ||= words;  // so that only the live region announces the result
      button.addEventListener('click', async () => {
        const source = document.getElementById(button.dataset.copy);
        try {
          await navigator.clipboard.writeText((source.innerText || source.textContent).trim()); // innerText is empty in a closed details
        } catch {
          getSelection().selectAllChildren(source);
          say('Copying failed. The text is selected: copy it.');
          button.textContent = 'Failed: copy the selected text';
          return;
        }
        if (source.closest('[data-secret]')) armed = false;
        if (!armed) for (const el of all('.secret .primary, .secret ~ .actions > .btn')) el.classList.toggle('primary', !!el.href);  // Done becomes the primary button
        say(button.dataset.said || 'Copied.');
        button.textContent = 'Copied';
        clearTimeout(timer);
        timer = setTimeout(() => { button.textContent = words; }, 2500);
      });
    }

    // An opened menu focuses its search field. Escape closes the menu.
    for (const { parentNode: list } of all('details > .menu', root)) {
      new MutationObserver(() => {  // a toggle event may come after the next key
        if (list.matches('.top *')) document.querySelector('.layout').inert = list.open;  // partly covered elements are not pressed by mistake
        if (list.open) list.querySelector('[data-find]')?.focus();
      }).observe(list, { attributeFilter: ['open'] });
      list.addEventListener('keydown', (e) => { if (e.key === 'Escape' && list.open) { list.open = false; list.querySelector('summary').focus(); } });
    }

    // On phones, a button opens the menus of a report in a dialog.
    for (const button of all('[data-sheet]', root)) {
      button.hidden = !button.nextElementSibling.showModal;
      button.addEventListener('click', () => button.nextElementSibling.showModal());
    }

    // A search field hides the rows that do not contain its text. Enter opens the first visible row.
    for (const find of all('input[data-find]', root)) {
      const rows = all(`#${find.dataset.find} :is(li, tbody tr)`);
      find.hidden = false;
      find.addEventListener('input', () => {
        const text = find.value.trim().toLowerCase();
        for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text);
      });
      find.addEventListener('keydown', (e) => { if (e.key === 'Enter') rows.find((row) => !row.hidden)?.querySelector('a').click(); });
    }

    // A fragment opens the menu that it names. Browsers reset the focus in the first frame, so the focus is set later.
    const named = document.getElementById(location.hash.slice(1))?.closest('details > .menu');
    if (named) {
      named.parentNode.open = true;
      if (named.closest('dialog')) all('[data-sheet]').find((button) => button.getClientRects().length)?.click();
      requestAnimationFrame(() => requestAnimationFrame(() => (named.querySelector('[data-find], [aria-current]') || named.querySelector('a')).focus()));
    }
  };
  init(document);

  // A click on a row of the log opens its entry. CSS cannot do this: WebKit does not position a tr.
  document.addEventListener('click', (e) => {
    const entry = e.target.closest('.log tbody tr')?.querySelector('details');
    if (entry && !entry.contains(e.target) && !e.target.closest('a') && String(getSelection()) === '') entry.open = !entry.open;
  });

  // A menu closes after a choice, when the focus or a click is elsewhere, and when the window is rotated.
  const close = (but) => { for (const { parentNode: list } of all('details[open] > .menu')) if (!list.contains(but)) list.open = false; };
  for (const type of ['click', 'focusin']) document.addEventListener(type, (e) => close(type === 'click' && e.target.closest('a') ? null : e.target));
  matchMedia('(orientation: portrait)').addEventListener('change', () => close(null));

  // In a report, a link or form to the same screen changes the content in place. push is the element that was used, or undefined
  // for a step in the history.
  const main = document.getElementById('main');
  let shown = location.pathname + location.search;
  let newest = 0;
  const change = async (url, push) => {
    const turn = ++newest;
    const answer = await fetch(url).catch(() => null);
    const text = answer?.ok && !answer.redirected ? await answer.text().catch(() => '') : '';
    if (turn !== newest) return;
    const next = new DOMParser().parseFromString(text, 'text/html');
    if (!next.querySelector('.report-head')) {
      if (push) location.assign(url); else location.reload();
      return;
    }
    if (push) history.pushState(null, '', url);
    shown = location.pathname + location.search;
    for (const el of all('details[open][id]', main)) if (!el.querySelector(':scope > .menu')) next.getElementById(el.id)?.setAttribute('open', '');
    const sheet = main.querySelector('dialog[open]')?.id;
    const from = push || (main.contains(document.activeElement) && document.activeElement);
    const focus = from && from.closest(':is(details, a, input)[id]')?.id;
    document.title = next.title;
    main.replaceChildren(...next.getElementById('main').childNodes);
    init(main);
    if (sheet) document.getElementById(sheet)?.showModal();
    const target = focus && document.getElementById(focus);
    if (from) (target?.querySelector('summary') || target || main).focus({ preventScroll: true });
    if (push && !target) scrollTo(0, 0);
    say(all('.answer, .answer + h2, [role=status]', main).map((el) => el.textContent.trim()).join(' ') || document.title);
  };
  const here = (url) => url.origin === location.origin && url.pathname === location.pathname && main?.querySelector('.report-head');
  document.addEventListener('click', (e) => {
    const link = e.target.closest('#main a[href]');
    if (!link || !plain(e) || link.hash || !here(link)) return;
    e.preventDefault();
    change(link.href, link);
  });
  document.addEventListener('submit', (e) => {
    const url = new URL(e.target.getAttribute('action') || '', location);
    if (e.target.method !== 'get' || !here(url)) return;
    e.preventDefault();
    url.search = new URLSearchParams(new FormData(e.target));
    change(url.href, e.submitter || document.activeElement);
  });
  addEventListener('popstate', () => { if (here(location) && shown !== location.pathname + location.search) change(location.href); });

  // The chosen expiry is also shown in the reader's time zone.
  for (const el of all('[data-instant]')) {
    const day = document.getElementById('day');
    const show = () => {
      const at = new Date(`${day.value}T00:00Z`);
      el.hidden = Number.isNaN(at.getTime()) || zone === 'UTC';
      if (!el.hidden) el.textContent = `In your time zone (${zone}) the key expires on ${local(at, 'minute')}.`;
    };
    day.addEventListener('input', show);
    show();
  }

  // For ten minutes, the page of a new key waits for its first request and announces it.
  for (const el of all('[data-waits]')) {
    const look = async (tries) => {
      const page = await fetch(el.dataset.waits).then((r) => r.text()).catch(() => '');
      const used = new DOMParser().parseFromString(page, 'text/html').querySelector('[data-used] time');
      if (used) {
        el.id = 'first-request';
        el.textContent = `First request: ${local(new Date(used.dateTime), 'minute')}.`;
        say(el.textContent);
      }
      else if (tries > 0) setTimeout(look, 5000, tries - 1);
      else say(el.textContent = 'This page has stopped waiting. The page of the key shows the first request.');
    };
    el.hidden = false;
    say(`${document.getElementById('copy').textContent} ${el.textContent}`);
    look(120);
  }

  // The page of a temporary error reloads after the interval that the server gives.
  for (const el of all('[data-retry]')) {
    el.hidden = false;
    setTimeout(() => location.reload(), 1000 * el.dataset.retry * (1 + Math.random()));  // jitter: not all pages at once
  }

  addEventListener('beforeprint', () => { for (const el of all('[data-printed]')) el.textContent = local(new Date(), 'day'); });

  // These downloads save text of the page, such as recovery codes.
  for (const button of all('button[data-download]')) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const link = document.createElement('a');
      const source = document.getElementById(button.dataset.download);
      link.href = URL.createObjectURL(new Blob([`${source.innerText.trim()}\n`], { type: 'text/plain' }));
      link.download = button.dataset.file;
      armed = false;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);  // some browsers read the URL after the click
    });
  }

  // A password can be shown. It is hidden again before the form is sent, so that browsers keep it as a password.
  for (const field of all('input[data-show]')) {
    const button = document.createElement('button');
    const name = field.labels[0].textContent;
    const show = (shown) => {
      field.type = shown ? 'text' : 'password';
      button.textContent = shown ? 'Hide' : 'Show';
      button.setAttribute('aria-label', `${button.textContent} ${name}`);
    };
    button.type = 'button';
    button.className = 'quiet show';
    button.addEventListener('click', () => { show(field.type === 'password'); field.focus(); });
    field.form.addEventListener('submit', () => show(false));
    field.after(button);
    show(false);
  }

  // A link to a confirmation page opens a dialog instead, whose form posts to the link's address. An element such as
  // <b data-slot="name"> gets the text of the element with data-name in the link's row.
  for (const link of all('a[data-dialog]')) {
    const dialog = document.getElementById(link.dataset.dialog);
    if (!dialog || !dialog.showModal) continue;
    link.addEventListener('click', (e) => {
      if (!plain(e)) return;
      e.preventDefault();
      const row = link.closest('[data-row]');
      for (const slot of all('[data-slot]', dialog)) {
        const from = row.querySelector(`[data-${slot.dataset.slot}]`);
        slot.textContent = from.textContent.trim();
        slot.toggleAttribute('data-lately', 'lately' in from.dataset);
      }
      dialog.querySelector('form').action = link.href;
      dialog.showModal();
    });
  }

  // A field that is hidden because its option is not selected is not sent.
  for (const field of all('.choice > .field')) {
    field.closest('form').addEventListener('formdata', (e) => {
      if (field.getClientRects().length) return;
      for (const control of all('[name]', field)) e.formData.delete(control.name);
    });
  }

  // fetch sends the form, and the response replaces the page. So no history entry is a POST, which WebKit would send again without
  // asking, and a reload sends nothing. A double click sends the form once.
  for (const form of all('form[data-submit-once]')) {
    let sent = false;
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      if (sent) return;
      sent = true;
      const body = new URLSearchParams(new FormData(form));
      const signal = AbortSignal.timeout?.(15000);
      const answer = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'text/html' }, signal }).catch(() => null);
      if (answer?.redirected && !answer.headers.get('Content-Type')?.startsWith('text/html')) {  // a download, which is no page
        answer.body?.cancel();
        location.assign(answer.url);
        return;
      }
      const ended = answer?.redirected && !location.pathname.startsWith('/sign-in') && new URL(answer.url).pathname === '/sign-in';
      const text = ended ? '' : await answer?.text().catch(() => '');
      if (!text || [502, 503, 504].includes(answer.status)) {  // 502 and 504 come from a proxy
        const said = text && new DOMParser().parseFromString(text, 'text/html').querySelector('.empty > p')?.innerHTML;
        sent = false;
        form.querySelector(':scope > [role=alert]')?.remove();
        form.insertAdjacentHTML('beforeend', `<p class="error" role="alert">${ended
          ? 'Nothing was saved: your session has ended. <a href="/sign-in" target="_blank">Sign in in a new tab</a>, then send the form again.'
          : said || 'DG did not answer: the change may have been made. Look before you send the form again.'}</p>`);
        return;
      }
      history.replaceState(null, '', answer.redirected ? answer.url : location.href);
      document.open();
      document.write(text);
      document.close();
      document.querySelector('[autofocus]')?.focus();
      scrollTo(0, 0);
    });
  }

  // A dialog asks before the reader leaves a secret that is shown once. A page restored from the history has no secret.
  const secrets = all('[data-secret]');
  const leave = document.getElementById('leave');
  if (secrets.length && leave && leave.showModal) {
    armed = true;
    let go = null;
    history.replaceState(null, '', leave.dataset.after);
    const ask = (e, then) => { e.preventDefault(); go = then; leave.returnValue = ''; leave.showModal(); };
    // A copy by keyboard or menu counts if the selection contains a whole secret.
    const bare = (text) => text.replace(/\s+/g, '');
    document.addEventListener('copy', () => {
      const taken = bare(String(getSelection()));
      if (secrets.some((el) => taken.includes(bare(el.innerText)))) armed = false;
    });
    addEventListener('beforeunload', (e) => { if (armed) e.preventDefault(); });
    document.addEventListener('click', (e) => {
      const link = e.target.closest('a[href]');
      if (!armed || !link || !plain(e) || link.target || link.getAttribute('href').startsWith('#')) return;
      ask(e, () => location.assign(link.href));
    });
    document.addEventListener('submit', (e) => {
      if (armed && !leave.contains(e.target)) ask(e, () => e.target.submit());
      else if (!leave.contains(e.target)) armed = false;
    });
    leave.addEventListener('close', () => {
      if (leave.returnValue === 'leave') { armed = false; go(); }
    });
  }
  addEventListener('pagehide', () => { for (const el of secrets) el.textContent = 'No longer shown.'; });
})();
