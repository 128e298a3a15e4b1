const two = (n: number): string => String(n).padStart(2, '0');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The reader's zone at that time, as `UTC+2` or `UTC`. */
export function zone(at: number): string {
  const ahead = -new Date(at).getTimezoneOffset();
  if (ahead === 0) return 'UTC';
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
  return `UTC${ahead < 0 ? '−' : '+'}${hours}${minutes ? `:${two(minutes)}` : ''}`;
}

/** `14:03:09`, in the reader's zone. */
export function clock(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The day too, where it is another one than today: `27 Nov 16:04:10`. */
export function moment(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)];
  if (date.toDateString() === today.toDateString()) return clock(at);
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${MONTHS[date.getMonth()]}${year} ${clock(at)}`;
}

/** What is left of a time, as a clock counts it down: `4:12`, `1 h 30 m`, `3 d 4 h`. Never less than nothing. */
export function left(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  if (s < 3600) return `${Math.floor(s / 60)}:${two(s % 60)}`;
  if (s < 48 * 3600) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

/** A duration: `84 ms`, `1.4 s`, `2 min 6 s`, `1 h 30 min`, `3 d`. */
export function lasting(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`;
  if (ms < HOUR) return joined(Math.floor(ms / MINUTE), 'min', Math.floor((ms % MINUTE) / 1000), 's');
  if (ms < 2 * DAY) return joined(Math.floor(ms / HOUR), 'h', Math.floor((ms % HOUR) / MINUTE), 'min');
  return `${Math.floor(ms / DAY)} d`;
}

const joined = (big: number, unit: string, small: number, part: string): string => `${big} ${unit}${small ? ` ${small} ${part}` : ''}`;

/** `17 min ago`; `now` for less than two seconds, or for a clock that is behind. */
export const ago = (at: number, now: number): string =>
  now - at < 2000 ? 'now' : `${lasting(Math.floor((now - at) / 1000) * 1000).replace('.0 s', ' s')} ago`;
