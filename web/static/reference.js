// reference.js: the API's document in swagger-ui.
(() => {
  'use strict';
  // What swagger-ui leaves out: names of its fields, and boxes that scroll by the keyboard too.
  const root = document.getElementById('reference');
  const mend = () => {
    for (const box of root.querySelectorAll('pre:not([tabindex])')) box.tabIndex = 0;
    for (const [selector, name] of [['.examples-select-element', 'Example'], ['.close-modal', 'Close']]) {
      for (const field of root.querySelectorAll(`${selector}:not([aria-label])`)) field.setAttribute('aria-label', name);
    }
    for (const button of root.querySelectorAll('.modal-btn[aria-label]')) button.removeAttribute('aria-label'); // it is not what is seen
  };
  new MutationObserver(mend).observe(root, {childList: true, subtree: true});

  SwaggerUIBundle({
    url: '/openapi/v1.json',
    domNode: root,
    deepLinking: true,
    validatorUrl: null,
    persistAuthorization: false,
    syntaxHighlight: {activated: false},
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    tagsSorter: (a, b) => (a === 'Description') - (b === 'Description'),
    // What the document says before its operations is on the page on the API; the one server is this one.
    // A link inside of a button is for neither mouse nor keyboard: the button alone opens and names the address.
    plugins: [() => ({wrapComponents: {
      InfoContainer: () => () => null,
      ServersContainer: () => () => null,
      DeepLink: (_, {React}) => ({text}) => React.createElement('span', null, text),
    }})],
    // The document names the public address, and the page may be read at another one: nothing goes to another host.
    requestInterceptor: (request) => {
      const {pathname, search} = new URL(request.url, location.href);
      request.url = location.origin + pathname + search;
      return request;
    },
  });
})();
