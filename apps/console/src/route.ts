import { store } from './data/store.js';

export const PAGES = ['inbox', 'census', 'sessions', 'tools', 'log'] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  readonly page: PageName;
  /** What is opened on it. */
  readonly id?: string;
  readonly query: URLSearchParams;
}

/** `#/sessions/5fbf…?void=hidden`; whatever is no page is the Inbox. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, id] = path.split('/');
  const known = PAGES.find((name) => name === page) ?? 'inbox';
  return { page: known, ...(known === page && id && { id: decoded(id) }), query: new URLSearchParams(query) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hashOf(page: PageName, id?: string, query?: Readonly<Record<string, string>>): string {
  const search = query ? new URLSearchParams(query).toString() : '';
  return `#/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search ? `?${search}` : ''}`;
}

export const route = store(routeOf(''));

export function startRoute(): void {
  const read = () => route.set(routeOf(location.hash));
  addEventListener('hashchange', read);
  read();
}

export const go = (page: PageName, id?: string, query?: Readonly<Record<string, string>>): void => {
  location.hash = hashOf(page, id, query);
};
