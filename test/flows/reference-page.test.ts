import { createContext, runInContext } from 'node:vm';
import t from 'tap';
import { startTestApp, type TestApp } from '../support/test-app.js';

type Element = readonly [type: unknown, props: unknown, ...children: unknown[]];

interface Configuration {
  readonly layout: string;
  readonly plugins: readonly (() => {
    wrapComponents: { response: (original: unknown, system: object) => (answer: object) => Element };
  })[];
}

/** What the page's script hands to Swagger UI, and the elements that it puts into the page's head. */
async function configured(app: TestApp): Promise<{ configuration: Configuration; head: object[] }> {
  const head: object[] = [];
  const given: Configuration[] = [];
  const bundle = (configuration: Configuration): object => {
    given.push(configuration);
    return { initOAuth: () => undefined };
  };
  const page = {
    SwaggerUIBundle: Object.assign(bundle, { presets: {}, plugins: {} }),
    SwaggerUIStandalonePreset: {},
    document: { createElement: () => ({}), head: { append: (element: object) => head.push(element) } },
    window: { location: { href: `${app.url}/docs` }, onload: (): void => undefined },
  };
  const { text } = await app.call('GET', '/docs/static/swagger-initializer.js', { token: null });
  runInContext(text, createContext(page));
  page.window.onload();
  const [configuration] = given;
  if (!configuration) throw new Error('Swagger UI was not started');
  return { configuration, head };
}

/** React as far as the page uses it: an element is its call, and a component has one state. */
function reactOf(state: { isOpen?: boolean }) {
  return {
    Fragment: 'Fragment',
    createElement: (...element: Element) => element,
    useState: (initial: boolean) => [state.isOpen ?? initial, (next: boolean) => (state.isOpen = next)],
  };
}

t.test('the page of the reference', async (t) => {
  const app = await startTestApp(t);

  t.test('is where a browser is led to', async (t) => {
    const browser = { token: null, headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const method of ['GET', 'HEAD'])
      t.equal((await fetch(`${app.url}/`, { ...browser, method, redirect: 'manual' })).status, 302, method);
    const page = await app.call('GET', '/', browser);
    t.match(page.text, /<title>Rollcall<\/title>/);
    t.match(page.headers.get('content-security-policy'), /style-src 'self'/);
    t.equal((await app.call('GET', '/', { token: null })).status, 404, 'others find nothing there');
  });

  t.test('has no bar above it: that asks for another document and has a style within', async (t) => {
    const { configuration } = await configured(app);
    t.equal(configuration.layout, 'BaseLayout');
  });

  t.test('is as wide as the screen, with a style of its own for narrow ones', async (t) => {
    const { configuration, head } = await configured(app);
    configuration.plugins[0]?.();
    t.same(head, [{ name: 'viewport', content: 'width=device-width, initial-scale=1' }]);
    const { text } = await app.call('GET', '/docs', { token: null });
    const [, href = ''] = /href="([^"]+rollcall\.css)"/.exec(text) ?? [];
    const style = await app.call('GET', href, { token: null });
    t.match(style.text, /@media \(max-width: 640px\)/);
  });

  t.test('shows an answer of a PUT once it is asked for, those of others at once', async (t) => {
    const { configuration } = await configured(app);
    const state: { isOpen?: boolean } = {};
    const response = configuration.plugins[0]?.().wrapComponents.response('Original', {
      React: reactOf(state),
    });
    const answer = (method: string) => ({
      method,
      code: '200',
      response: new Map([['description', 'Done']]),
    });
    const shown = (method: string): string => JSON.stringify(response?.(answer(method)));
    t.match(shown('put'), /▸ 200.*Done/);
    t.notMatch(shown('put'), /Original/);
    state.isOpen = true;
    t.match(shown('put'), /▾ 200.*Original/);
    t.match(shown('get'), /Original/);
  });
});
