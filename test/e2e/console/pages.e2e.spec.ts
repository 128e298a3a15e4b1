import { AxeBuilder } from '@axe-core/playwright';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, launch, pageOf, troubles, watched } from './browser.js';
import { OpenWorld } from './open-world.js';

jest.setTimeout(120_000);

const MOST_BYTES = 150 * 1024;

describeInBrowser('The pages', () => {
  let world: OpenWorld;
  let browser: Browser;
  let waiting: string;
  beforeAll(async () => {
    [world, browser] = await Promise.all([OpenWorld.start(), launch()]);
    waiting = await world.paused('waits', { note: 'waits', amount: 7 });
    await world.say('talks', 'Hello.');
    await fetch(`${world.url}/invoke`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"sessionId": "a b"}' });
  });
  afterAll(async () => {
    await browser.close();
    await world.stop();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    expect(troubles).toEqual([]);
  });

  const settled = async (page: Page) => {
    await page.locator('main h1:visible').first().waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  };

  it('P1 and N51 come with a policy that lets no text become markup; unknown paths keep their answer', async () => {
    const page = await fetch(world.url);
    expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|https?:\/\//);
    const [script] = /\/assets\/[\w.-]+\.js/.exec(html)!;
    const asset = await fetch(`${world.url}${script}`, { headers: { 'accept-encoding': 'br' } });
    expect([asset.headers.get('content-encoding'), asset.headers.get('cache-control')]).toEqual([
      'br',
      'public, max-age=31536000, immutable',
    ]);
    for (const path of ['/nothing', '/assets/nothing.js', '/assets/..%2findex.html', '/index.html']) {
      const missing = await fetch(`${world.url}${path}`);
      expect([path, missing.status, await missing.json()]).toEqual([path, 404, { error: `There is no GET ${path} here.` }]);
      expect([path, missing.headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
  });

  it('P2 is a small first page', async () => {
    const page = await pageOf(browser, world.url);
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (/\/($|assets)/.test(new URL(request.url()).pathname)) sizes.push(request.sizes().then((size) => size.responseBodySize));
    });
    await page.goto('/');
    await page.getByRole('button', { name: /^Waiting/ }).waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it.each(['light', 'dark'])('P1 can be read and used by everybody: axe finds nothing serious on any page, in %s', async (theme) => {
    const page = await pageOf(
      browser,
      world.url,
      {},
      { colorScheme: theme, reducedMotion: 'reduce', viewport: { width: 1440, height: 900 } },
    );
    const [session] = ((await (await fetch(`${world.url}/v1/sessions`)).json()) as { items: { sessionRef: string }[] }).items;
    const places = [
      'inbox',
      `inbox/${waiting}`,
      'inbox?view=answered',
      'inbox?view=unknown',
      'inbox?view=grants',
      'census',
      'sessions',
      `sessions/${session!.sessionRef}`,
      'tools',
      'log',
    ];
    for (const place of places) {
      await page.goto(`/#/${place}`);
      await settled(page);
      await found(page, place);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    for (const place of [`inbox/${waiting}`, 'log']) {
      await page.goto(`/#/${place}`);
      await settled(page);
      await found(page, `${place} at 390`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    }
  });

  async function found(page: Page, place: string): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect([place, serious.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])])]).toEqual([
      place,
      [],
    ]);
  }

  it('P2 shares one stream among eight tabs, and the next tab takes over', async () => {
    const first = await pageOf(browser, world.url);
    const context = first.context();
    const tabs = [first, ...(await Promise.all(Array.from({ length: 7 }, () => watched(context))))];
    for (const tab of tabs) await tab.goto('/');
    const live = (all: readonly Page[]) => Promise.all(all.map((tab) => tab.locator('[data-state=live]').waitFor({ state: 'attached' })));
    await live(tabs);
    const readers = async () => world.metric('doorledger_stream_readers');
    expect(await readers()).toBe(1);
    await world.paused('eight', { note: 'eight' });
    await Promise.all(tabs.map((tab) => tab.getByText('2 calls wait for a person.').waitFor()));
    await first.close();
    const rest = tabs.slice(1);
    for (const end = Date.now() + 10_000; (await readers()) !== 1 && Date.now() < end;) await sleep(50);
    await live(rest);
    await world.paused('nine', { note: 'nine' });
    await Promise.all(rest.map((tab) => tab.getByText('3 calls wait for a person.').waitFor()));
    expect(await readers()).toBe(1);
  });

  it('N51 shows 300 KB of arguments whole, and keeps few of its lines on the page', async () => {
    const args = {
      note: 'big',
      items: Array.from({ length: 5000 }, (_, id) => ({ id, text: `Item ${id} – ${'wörd '.repeat(5)}` })),
      one: 'y'.repeat(60_000),
    };
    const canonical = JSON.stringify({ items: args.items, note: args.note, one: args.one });
    expect(canonical.length).toBeGreaterThan(300_000);
    const requestId = await world.paused('big', args);
    const page = await pageOf(browser, world.url);
    await page.goto(`/#/inbox/${requestId}`);
    await page.getByText('This browser has checked that the digest covers exactly this.').waitFor();
    await page.getByText(/^Shown whole: 20,006 of 20,006 lines/).waitFor();
    const { text, most } = await page.evaluate(async () => {
      const pane = document.querySelector('.detail')!;
      const rows = new Map<number, string>();
      let mostRows = 0;
      for (let top = 0; top < pane.scrollHeight; top += 1200) {
        pane.scrollTop = top;
        await new Promise(requestAnimationFrame);
        await new Promise((resolve) => setTimeout(resolve));
        const lines = document.querySelectorAll<HTMLElement>('[data-row]');
        mostRows = Math.max(mostRows, lines.length);
        for (const line of lines) {
          const cells = [...line.querySelectorAll('code:not(.old) > span')];
          rows.set(
            Number(line.dataset.row),
            cells.map((cell) => (cell.className === 'mark' ? cell.textContent.trim() : cell.textContent)).join(''),
          );
        }
      }
      const all = [...rows].sort(([a], [b]) => a - b);
      return { text: all.map(([, row]) => row).join(''), most: mostRows };
    });
    expect(text.length).toBe(canonical.length);
    expect(text === canonical).toBe(true);
    expect(most).toBeLessThan(300);
    await page.getByLabel('Search in all arguments').fill('Item 4321 ');
    await page.keyboard.press('Enter');
    await page.getByText('"Item 4321 – ').waitFor();
  });

  it('N51 keeps scripts, markdown and unseen characters as text that can be seen', async () => {
    const note = '<script>window.ran = 1</script><img src=x onerror=alert(1)> **bold** [x](javascript:alert(1)) \u202egnp.exe\u200b\u0007';
    const requestId = await world.paused('hostile', { note, 'key\u2066': 1 });
    const page = await pageOf(browser, world.url);
    let dialogs = 0;
    page.on('dialog', () => dialogs++);
    await page.goto(`/#/inbox/${requestId}`);
    await page.getByText('<script>window.ran = 1</script><img src=x onerror=alert(1)> **bold** [x](javascript:alert(1))').waitFor();
    expect(await page.locator('.row-line .unseen').allInnerTexts()).toEqual(['U+2066', 'U+202E', 'U+200B', 'U+0007']);
    await page.getByText('4 characters that cannot be seen are drawn as a chip.').waitFor();
    expect([dialogs, await page.evaluate(() => 'ran' in window), await page.locator('main img, main script').count()]).toEqual([
      0,
      false,
      0,
    ]);
  });

  it('O8 shows a session by its id to whom it belongs: to everybody where nobody is checked', async () => {
    const page = await pageOf(browser, world.url);
    await page.goto('/#/sessions');
    await page.getByRole('link', { name: /talks/ }).click();
    await page.getByRole('heading', { name: 'Session talks' }).waitFor();
  });

  it('P2 and E12 check at a press what the ledger says of itself, and say what else checks the log', async () => {
    const page = await pageOf(browser, world.url);
    await page.goto('/#/log');
    await page.route('**/v1/census/check**', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Check what the ledger says of itself' }).click();
    await page.getByText('The check did not go through.').waitFor();
    await page.getByRole('button', { name: 'Check what the ledger says of itself' }).click();
    await page.getByText(/^Requests add up in 1 life of a host\./).waitFor();
    await page.getByText(/^Every record could be read\./).waitFor();
    await page.getByText('npx doorledger verify').waitFor();
  });

  it('N50 and O2 let anybody decide where nobody is checked, and the page says so', async () => {
    const page = await pageOf(browser, world.url);
    await page.goto(`/#/inbox/${waiting}`);
    await page.getByText('Open on loopback: nobody is checked.').waitFor();
    await page.getByText('"waits"').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.locator('.progress li.is').nth(3).waitFor();
    expect(world.desk.times('waits')).toBe(1);
    await page.goto('/#/log');
    await page.getByLabel('Which').fill('desk');
    await page.getByLabel(/^Why/).fill('It misbehaves.');
    await page.getByRole('button', { name: 'Freeze…' }).click();
    await page.getByRole('button', { name: 'Freeze server desk' }).click();
    await page.getByText('server desk is frozen').first().waitFor();
    await page.getByRole('button', { name: 'Lift…' }).click();
    await page.getByRole('button', { name: 'Lift: it goes on' }).click();
    await page.getByText('server desk is frozen').first().waitFor({ state: 'detached' });
  });
});
