// dg.js: copy buttons, dialogs, the guard of a one-time secret, local times. Every screen works without it.
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const live = document.getElementById('live');
  const say = (words) => { if (live) { live.textContent = ''; setTimeout(() => { live.textContent = words; }, 50); } };
  const plain = (e) => !e.defaultPrevented && e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey;

  // Some browsers keep pages for going back, no-store or not, and show them after a sign-out as they were: ask again. The
  // address is asked for anew, not reloaded, which would send a form again.
  addEventListener('pageshow', (e) => { if (e.persisted) location.replace(location.pathname + location.search); });

  // Local time: the server writes UTC; the reader's zone replaces it and UTC moves to the title.
  const lang = document.documentElement.lang;
  const styles = {
    day: { dateStyle: 'medium' },
    minute: { dateStyle: 'medium', timeStyle: 'short' },
    second: { dateStyle: 'medium', timeStyle: 'medium' },
  };
  for (const time of all('time[data-local]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = time.textContent.trim();
    time.textContent = new Intl.DateTimeFormat(lang, styles[time.dataset.local] || styles.minute).format(at);
  }
  for (const el of all('[data-zone]')) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone !== 'UTC') el.textContent = `Times are in your zone, ${zone}. Point at a time to see it in UTC.`;
  }

  // Copy: shown only where script runs; success is said aloud and on the button.
  let armed = false;
  for (const button of all('button[data-copy]')) {
    const words = button.textContent;
    let timer;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.innerText.trim());
      } catch {
        getSelection().selectAllChildren(source);
        say('The browser did not allow copying. The text is selected: press Control and C.');
        return;
      }
      if (source.closest('[data-once]')) armed = false;
      say(button.dataset.said || 'Copied.');
      button.textContent = 'Copied';
      clearTimeout(timer);
      timer = setTimeout(() => { button.textContent = words; }, 2500);
    });
  }

  // Dialogs: a link to a page that confirms a deed opens the dialog instead; the form posts to the link's address.
  // A slot such as <b data-slot="name"> takes the text of the element with data-name in the link's row.
  for (const link of all('a[data-dialog]')) {
    const dialog = document.getElementById(link.dataset.dialog);
    if (!dialog || !dialog.showModal) continue;
    link.addEventListener('click', (e) => {
      if (!plain(e)) return;
      e.preventDefault();
      const row = link.closest('[data-row]');
      for (const slot of all('[data-slot]', dialog)) {
        slot.textContent = row.querySelector(`[data-${slot.dataset.slot}]`).textContent.trim();
      }
      dialog.querySelector('form').action = link.href;
      dialog.showModal();
    });
  }

  // A field that shows only while its option is chosen is not sent while it does not.
  for (const field of all('.choice > .field')) {
    field.closest('form').addEventListener('formdata', (e) => {
      if (field.checkVisibility()) return;
      for (const control of all('[name]', field)) e.formData.delete(control.name);
    });
  }

  // A form that makes something once is not sent twice at once: the second answer would take the place of the first.
  for (const token of all('form input[name=once]')) {
    let sent = -Infinity;
    token.form.addEventListener('submit', (e) => {
      if (e.timeStamp - sent < 10000) e.preventDefault();
      else sent = e.timeStamp;
    });
  }

  // Guard: what is shown once is not left by accident, and is gone when the page comes back.
  const once = all('[data-once]');
  const leave = document.getElementById('leave');
  if (once.length && leave && leave.showModal) {
    armed = true;
    let go = null;
    // Reload and the history lead to what comes after this page, and send no form again.
    history.replaceState(null, '', leave.dataset.after);
    const ask = (e, then) => { e.preventDefault(); go = then; leave.returnValue = ''; leave.showModal(); };
    // Copied by hand, with the keyboard or a menu: all of what is shown once, whatever lies around it.
    const bare = (text) => text.replace(/\s+/g, '');
    document.addEventListener('copy', () => {
      const taken = bare(String(getSelection()));
      if (once.some((el) => taken.includes(bare(el.innerText)))) armed = false;
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
  addEventListener('pagehide', () => { for (const el of once) el.textContent = 'No longer shown.'; });
})();
