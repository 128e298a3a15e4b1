import { useEffect, useRef } from 'preact/hooks';

/** What each key does. */
export type KeyMap = Readonly<Record<string, () => void>>;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

let prefix: string | undefined;
let prefixTimer: ReturnType<typeof setTimeout> | undefined;
const PREFIX_MS = 1500;

/** The key of an event with the one before it, where that began a pair: `g i`. */
function nameOf(event: KeyboardEvent): string {
  const before = prefix;
  prefix = undefined;
  clearTimeout(prefixTimer);
  if (event.key === 'g') {
    prefix = 'g';
    prefixTimer = setTimeout(() => (prefix = undefined), PREFIX_MS);
  }
  return before === 'g' ? `g ${event.key}` : event.key;
}

const layers: { current: KeyMap }[] = [];

/** Begins to listen, once for a page. The newest layer that knows a key has it; nothing but Escape fires while somebody types. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== 'Escape' && isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') && event.key !== 'Escape') return;
    const name = nameOf(event);
    // A pressed button or link has its own Enter.
    if (name === 'Enter' && event.target instanceof HTMLElement && event.target.closest('button, a, summary')) return;
    const act = layers.findLast(({ current }) => current[name])?.current[name];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** Keys that act while this is on the page. */
export function useKeys(keys: KeyMap): void {
  const layer = useRef(keys);
  layer.current = keys;
  useEffect(() => {
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}
