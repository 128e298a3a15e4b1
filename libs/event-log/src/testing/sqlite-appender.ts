import { openSqliteLog } from '../sqlite/sqlite-log.js';
import { appendUntilKilled } from './child-appender.js';

const [dir, topic, partitions] = process.argv.slice(2) as [string, string, string];
await appendUntilKilled(() => openSqliteLog({ dir, role: 'writer', topics: new Map([[topic, Number(partitions)]]) }), topic);
