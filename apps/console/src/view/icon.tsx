const lines = {
  inbox: 'M2.5 9.5 4 3.5h8l1.5 6v3h-11zM2.5 9.5h3.2l1 1.6h2.6l1-1.6h3.2',
  census: 'M3 13.5v-5M7 13.5v-11M11 13.5v-7M14.5 13.5h-13',
  sessions: 'M3 2.5v11M3 4h9M3 8h6M3 12h8',
  tools: 'M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5',
  log: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1',
  clock: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2M8 5v3.2l2 1.3',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  cross: 'm4 4 8 8M12 4l-8 8',
  off: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2M4.2 4.2l7.6 7.6',
  unknown: 'M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.6M8 12.3v.2',
  warn: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  info: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2M8 7.3V11M8 5v.1',
  stop: 'M5.5 2.2h5l3.3 3.3v5l-3.3 3.3h-5l-3.3-3.3v-5z',
  back: 'M10 3 5 8l5 5',
} as const;
export type IconName = keyof typeof lines;

/** A picture beside a word that says the same. */
export const Icon = ({ name, small = false }: { readonly name: IconName; readonly small?: boolean }) => (
  <svg class={small ? 'icon small' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
    <path d={lines[name]} />
  </svg>
);
