import type { Browser, Page } from 'playwright-core';
import { ConsentWorld } from '../consent/consent-world.js';
import { launch, pageOf, troubles } from './browser.js';

/** For one suite: a host with these gates and a browser. Each case leaves no page open and no trouble behind it. */
export class ConsoleWorld {
  world!: ConsentWorld;
  browser!: Browser;

  /** @param person who looks, where a case does not say it */
  constructor(
    gates: NonNullable<Parameters<typeof ConsentWorld.start>[0]>['gates'],
    private readonly person: string,
  ) {
    beforeAll(async () => {
      [this.world, this.browser] = await Promise.all([ConsentWorld.start({ gates }), launch()]);
    });
    afterAll(async () => {
      await this.browser.close();
      await this.world.stop();
    });
    afterEach(async () => {
      for (const context of this.browser.contexts()) await context.close();
      expect(troubles).toEqual([]);
    });
  }

  /** The page at this place of the console, as this person sees it. */
  async at(place: string, person = this.person): Promise<Page> {
    const page = await pageOf(this.browser, this.world.served.url, await this.world.headersOf(person));
    await page.goto(`/#/${place}`);
    return page;
  }
}
