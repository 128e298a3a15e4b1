import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate authority, and certificates it made for a server at 127.0.0.1 (and no other name) and for one client. Paths in `dir`. */
export function makeCertificates(dir, { user = 'postgres' } = {}) {
  const at = (name) => join(dir, name);
  const openssl = (...args) => execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  for (const [name, subject, extensions] of [
    ['server', '/CN=test server', 'subjectAltName=IP:127.0.0.1'],
    ['client', `/CN=${user}`, 'extendedKeyUsage=clientAuth'],
  ]) {
    openssl('req', ...newKey, '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    writeFileSync(at(`${name}.ext`), extensions);
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.crt`,
    );
  }
  const pem = (name) => readFileSync(at(name), 'utf8');
  return {
    paths: { ca: at('ca.crt'), cert: at('client.crt'), key: at('client.key') },
    /** What a client shows and trusts. */
    client: { ca: pem('ca.crt'), cert: pem('client.crt'), key: pem('client.key') },
    server: { cert: at('server.crt'), key: at('server.key') },
  };
}
