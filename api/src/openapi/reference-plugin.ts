interface Answer {
  readonly method: string;
  readonly code: string;
  readonly response: { get(name: 'description'): string };
}
interface React {
  readonly Fragment: unknown;
  readonly createElement: (type: unknown, props: object | null, ...children: unknown[]) => unknown;
  readonly useState: (initial: boolean) => [boolean, (value: boolean) => void];
}
type Component = (answer: Answer) => unknown;

declare const document: {
  readonly head: { append(element: object): void };
  createElement(name: string): object;
};

/** A Swagger UI plugin. It is sent to the browser as its source text, so it refers to nothing outside. */
export function referencePlugin() {
  const meta = document.createElement('meta');
  const content = 'width=device-width, initial-scale=1';
  document.head.append(Object.assign(meta, { name: 'viewport', content }));

  const foldable = (Original: unknown, { React }: { readonly React: React }): Component => {
    const { createElement: element, Fragment, useState } = React;
    return (answer) => {
      const [isOpen, open] = useState(answer.method !== 'put');
      if (answer.method !== 'put') return element(Original, answer);
      const onClick = (): void => open(!isOpen);
      const label = `${isOpen ? '\u25be' : '\u25b8'} ${answer.code}`;
      const line = element(
        'tr',
        { className: 'response' },
        element(
          'td',
          { className: 'response-col_status' },
          element('button', { className: 'answer', 'aria-expanded': isOpen, onClick }, label),
        ),
        element('td', { className: 'response-col_description' }, answer.response.get('description')),
        element('td', null),
      );
      return element(Fragment, null, line, isOpen && element(Original, answer));
    };
  };
  return { wrapComponents: { response: foldable } };
}
