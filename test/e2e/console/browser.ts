import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const QUIET = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const isThere = existsSync(CHROMIUM);
if (!isThere) console.warn(`There is no ${CHROMIUM} here: the console's tests are SKIPPED. Install the package chromium.`);

/** A suite that needs a browser. */
export const describeInBrowser = isThere ? describe : describe.skip;

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', ...QUIET] });

/** What went wrong on pages: errors that nobody caught, and what the policy of the page forbade. */
export const troubles: string[] = [];

/** A page of its own browser profile, whose requests carry these headers. */
export async function pageOf(browser: Browser, url: string, headers: Record<string, string> = {}, options: object = {}): Promise<Page> {
  const { authorization } = headers;
  const context = await browser.newContext({ baseURL: url, ...(authorization && { extraHTTPHeaders: { authorization } }), ...options });
  return watched(context);
}

export async function watched(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security.Policy|TrustedHTML|Refused to/i.test(message.text())) troubles.push(message.text());
  });
  return page;
}
