/** What a reference or an id is called on the page: its first digits; the whole stands in its title. */
export const short = (id: string): string => (id.length > 12 ? id.slice(0, 8) : id);

/** A digest by its ends. */
export const ends = (digest: string): string => (digest.length > 16 ? `${digest.slice(0, 8)}…${digest.slice(-4)}` : digest);

/** A position without what every topic has in common: `session-3@88` of `doorledger.session.v1:3:88`. */
export function place(position: string): string {
  const [topic = '', partition = '', offset = ''] = position.split(':');
  return `${topic.replace(/^doorledger\./, '').replace(/\.v\d+$/, '')}-${partition}@${offset}`;
}

/** `files.write_file`; a request whose fact was not read names neither. */
export const toolName = ({ server, tool }: { readonly server?: string | undefined; readonly tool?: string | undefined }): string =>
  server === undefined && tool === undefined ? 'a tool' : `${server ?? '?'}.${tool ?? '?'}`;

/** `1 call`, `6 calls`, with thousands apart. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** What who asks is called: by their name, else as their issuer knows them. */
export const askerOf = (call: { readonly asker?: { readonly subject: string; readonly name?: string } } | undefined): string | undefined =>
  call?.asker?.name ?? call?.asker?.subject;
