// Lets child processes and worker threads of a test run the TypeScript sources: node --import <this file> some-file.ts
import { register } from 'node:module';
register('./hooks.mjs', import.meta.url);
