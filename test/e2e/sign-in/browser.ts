interface Cookie {
  readonly value: string;
  readonly path: string;
}

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** As much of a browser as signing in needs: a jar of cookies, which know no ports, redirects, and the forms of the provider. */
export class Browser {
  readonly jar = new Map<string, Cookie>();

  async ask(url: string, init: RequestInit = {}): Promise<Seen> {
    const { pathname } = new URL(url);
    const cookie = [...this.jar]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(init.headers as Record<string, string> | undefined), ...(cookie && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? (JSON.parse(text) as Seen['body']) : {} };
  }

  /** What a page of `origin` asks of it. */
  page(origin: string, path: string, body?: object): Promise<Seen> {
    const headers = { 'sec-fetch-site': 'same-origin', ...(body && { origin, 'content-type': 'application/json' }) };
    return this.ask(origin + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  }

  /** Follows redirects and signs in as `person` where it is asked to, until it is sent to an address that `isEnd`. */
  async walk(start: string, person: string, isEnd: (url: string) => boolean): Promise<string> {
    let url = start;
    let init: RequestInit = {};
    for (let hops = 0; hops < 20; hops++) {
      const { status, headers, text } = await this.ask(url, init);
      const location = headers.get('location');
      init = {};
      if (location !== null) {
        url = new URL(location, url).href;
        if (isEnd(url)) return url;
        continue;
      }
      const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
      if (action === undefined) throw new Error(`The way ended at ${new URL(url).pathname} with ${status}.`);
      const prompt: Record<string, string> = text.includes('value="login"')
        ? { prompt: 'login', login: person, password: 'any' }
        : { prompt: 'consent' };
      url = new URL(action, url).href;
      init = { method: 'POST', body: new URLSearchParams(prompt) };
    }
    throw new Error('The way has no end.');
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const named = new Map(attributes.map((one) => [one.split('=')[0]!.toLowerCase(), one.split('=')[1] ?? ''] as const));
    const isGone = named.get('max-age') === '0' || Date.parse(set.match(/expires=([^;]+)/i)?.[1] ?? '') < Date.now();
    if (isGone) this.jar.delete(pair.slice(0, at));
    else this.jar.set(pair.slice(0, at), { value: pair.slice(at + 1), path: named.get('path') ?? '/' });
  }
}
