// The value of this expression has the functions that browsertest calls in a page.
({
	// visible lists the visible elements for a selector, which is CSS and may end in :text("…").
	visible(selector) {
		const [, css, text] = selector.match(/^(.*?)(?::text\("(.*)"\))?$/s);
		const seen = (e) => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0;
		const plain = (s) => s.replace(/\s+/g, ' ').trim();
		return [...document.querySelectorAll(css || '*')]
			.filter((e) => seen(e) && (text === undefined || plain(e.innerText ?? e.textContent) === plain(text)));
	},

	// element calls a function below with the one visible element, or returns a fault.
	element(name, selector, argument) {
		const found = this.visible(selector);
		const css = selector.replace(/:text\(".*"\)$/s, '') || '*';
		if (found.length === 0) {
			const hidden = document.querySelectorAll(css).length;
			return {fault: hidden ? 'it is in the page, but not visible or with another text' : 'it is not in the page'};
		}
		if (found.length > 1) return {fault: found.length + ' elements fit: say which'};
		try { return {value: this[name](found[0], argument)}; } catch (e) { return {fault: String(e.message ?? e)}; }
	},

	// find returns the middle of an element that nothing covers. The position must equal that of the previous
	// call: a script or style that arrives late may move the element away from the mouse.
	find(e) {
		if (document.readyState !== 'complete') throw new Error('the page is loading');
		e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
		const box = [...e.getClientRects()].find((r) => r.width > 0 && r.height > 0);
		if (!box) throw new Error('it has no size');
		if (e.matches(':disabled')) throw new Error('it is disabled');
		const x = box.x + box.width / 2, y = box.y + box.height / 2;
		const top = document.elementFromPoint(x, y);
		if (!top) throw new Error('it lies outside of the window');
		if (!e.contains(top) && !top.contains(e) && !(e.labels && [...e.labels].includes(top.closest('label')))) {
			throw new Error('it is covered by ' + this.describe(top));
		}
		const before = e.lastPlace;
		e.lastPlace = x + ' ' + y;
		if (before !== e.lastPlace) throw new Error('it moves');
		return {x, y, width: box.width};
	},

	// fill selects the text of a field and returns true, so that typing replaces it. It sets a list or date itself.
	fill(e, text) {
		if (e.disabled || e.readOnly) throw new Error('it cannot be changed');
		e.focus();
		if (e.localName !== 'select' && e.type !== 'date') { e.select(); return true; }
		e.value = text;
		if (e.value !== text) throw new Error('it does not take "' + text + '"');
		e.dispatchEvent(new Event('input', {bubbles: true}));
		e.dispatchEvent(new Event('change', {bubbles: true}));
		return false;
	},

	read(e) {
		return (['input', 'textarea', 'select'].includes(e.localName) ? e.value : e.innerText ?? e.textContent).trim();
	},

	describe(e) {
		if (!e || e === document.body) return 'nothing';
		const text = (e.innerText ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
		return '<' + e.localName + (e.id ? '#' + e.id : '') + '>' + (text ? ' ' + text : '');
	},
})
