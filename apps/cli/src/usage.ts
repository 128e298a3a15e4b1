/** Commander's complaint as one sentence: "error: unknown option '--prot'\n(Did you mean --port?)" and the like. */
export function oneSentence(complaint: string): string {
  const [what = '', ...rest] = complaint
    .replace(/^error: /, '')
    .trim()
    .split('\n');
  const hint = rest
    .join(' ')
    .replace(/^\(Did you mean (.*)\?\)$/, 'did you mean $1?')
    .trim();
  return `doorledger: ${what.replace(/\.$/, '')}${hint ? `; ${hint}` : '; see doorledger --help.'}\n`;
}
