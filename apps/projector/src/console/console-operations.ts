import type { Operations } from '@doorledger/openapi';

/** The console's own files. */
export const consoleOperations: Operations = {
  readConsole: {
    method: 'get',
    path: '/',
    summary: 'The console, for people.',
    who: 'everybody; what it shows is asked of the API',
    answers: { 200: 'The page.' },
    type: 'text/html',
  },
  readConsoleAsset: {
    method: 'get',
    path: '/assets/:name',
    summary: 'A file of the console, named by its content.',
    who: 'everybody',
    answers: { 200: 'The file.' },
    type: 'text/javascript',
  },
};
