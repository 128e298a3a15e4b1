import { scrapeRule } from './scrape-rule.js';

const here = { headers: { host: 'localhost:8080' }, from: '127.0.0.1' };
const there = { headers: { host: '10.1.2.3:8080' }, from: '10.9.9.9' };

it('P8 shows metrics to this machine, by any of its own names', () => {
  const judge = scrapeRule([]);
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080'])
    for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(judge({ headers: { host }, from })).toBeUndefined();
});

it('P8 refuses other machines, a page that made its own name lead here, and whoever comes through a proxy', () => {
  const judge = scrapeRule(['10.0.0.0/16']);
  const refused = { status: 403, code: 'ERR_SCRAPE_NOT_ALLOWED' };
  expect(judge(there)).toMatchObject(refused);
  expect(judge({ ...here, from: undefined })).toMatchObject(refused);
  expect(judge({ ...here, headers: { host: 'evil.example' } })).toMatchObject(refused);
  expect(judge({ ...here, headers: {} })).toMatchObject(refused);
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-forwarded-host'])
    expect(judge({ ...here, headers: { ...here.headers, [name]: '203.0.113.9' } })).toMatchObject(refused);
});

it('P8 shows them to the machines of metrics.from, whatever they call this one', () => {
  expect(scrapeRule(['10.9.0.0/16'])(there)).toBeUndefined();
  expect(scrapeRule(['10.9.9.9'])({ ...there, from: '::ffff:10.9.9.9' })).toBeUndefined();
});

it('P8 refuses to start with an entry that is no address', () => {
  expect(() => scrapeRule(['10.0.0.0/40'])).toThrow(/^metrics\.from takes IP addresses/);
});
