import { isQueryText } from './query-text.js';

it.each(['/v1/x', '/v1/x?', '/v1/x?id=a%20b+c&id=%C3%A4', '/v1/%ff?id=a', '/v1/x?id=ä'])('P7 takes %s for text', (url) => {
  expect(isQueryText(url)).toBe(true);
});

it.each(['?id=%ff', '?id=%', '?id=%zz', '?id=%C3', '?id=%ed%a0%80', '?%ff=a', '?id=a?%ff'])('P7 takes %s for no text', (query) => {
  expect(isQueryText(`/v1/x${query}`)).toBe(false);
});
