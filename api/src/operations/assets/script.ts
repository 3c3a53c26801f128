interface Part {
  textContent: string | null;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  closest(selector: string): Part | null;
  insertAdjacentHTML(position: 'beforeend', text: string): void;
}
interface Source {
  onmessage: (message: { readonly data: string }) => void;
  close(): void;
}

declare const document: {
  readonly hidden: boolean;
  readonly documentElement: { readonly classList: { add(name: string): void } };
  querySelector(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<{ readonly value: string; readonly defaultValue: string }>;
  addEventListener(type: string, listener: (event: { readonly target: Part }) => void): void;
};
declare const location: { replace(url: string): void };
declare const navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
declare const EventSource: new (url: string) => Source;

/**
 * What the page does besides HTML: live progress and copying. It is sent to the browser as its source text, so it refers to nothing
 * outside. An element with `data-progress` names the one stream of the page; a button with `data-copy` the element that it copies.
 */
export function pageScript(): void {
  const shown = document.querySelector('[data-progress]');
  const url = shown?.dataset['progress'];
  let source: Source | undefined;

  const follow = (): void => {
    source?.close();
    source = undefined;
    if (!shown || url === undefined || document.hidden) return;
    source = new EventSource(url);
    source.onmessage = ({ data }) => {
      const { text, isDone } = JSON.parse(data) as { readonly text: string; readonly isDone: boolean };
      shown.textContent = text;
      if (!isDone) return;
      source?.close();
      const page = url.replace(/\/progress$/, '');
      const inputs = [...document.querySelectorAll('.action input')];
      // A page that answers a form would send it again when loaded anew.
      if (inputs.every(({ value, defaultValue }) => value === defaultValue)) location.replace(page);
      else
        shown.insertAdjacentHTML(
          'beforeend',
          ` <a href="${page}">Load the page again</a> without what is typed`,
        );
    };
  };

  // There is none over plain HTTP on a network.
  if (navigator.clipboard) document.documentElement.classList.add('scripted');
  document.addEventListener('visibilitychange', follow);
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('[data-copy]');
    const copied = button && document.querySelector(`#${button.dataset['copy'] ?? ''}`);
    if (!button || !copied) return;
    void navigator.clipboard?.writeText(copied.textContent ?? '').then(() => {
      button.textContent = 'Copied';
    });
  });
  follow();
}
