import { render } from 'preact';
import { App } from './app.js';
import { startFeed } from './data/feed.js';
import { startRoute } from './route.js';
import { startKeys } from './view/keys.js';

startRoute();
startKeys();
render(<App />, document.getElementById('app')!);
startFeed();
