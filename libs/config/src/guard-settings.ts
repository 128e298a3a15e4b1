import { list, text, yesOrNo, type Kind } from './kind.js';
import { Setting } from './setting.js';

const listed = list(
  text('', /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*,]+$/i),
  '`any`, or a list of exact origins such as `https://app.example`, without a path (with commas between, outside the file)',
);

const origins: Kind = {
  allowed: listed.allowed,
  accepts: (value) => value === 'any' || listed.accepts(value),
  fromText: (value) => (value === 'any' ? value : listed.fromText(value)),
};

export class GuardSettings {
  @Setting({
    about: 'Hosts that the doors and the API answer to, as a Host header names them; a port counts only where one is given.',
    kind: list(
      text('', /^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i),
      'a list of names and IP addresses, IPv6 in brackets, with or without a port (with commas between, outside the file)',
    ),
    otherwise: '`localhost`, `127.0.0.1` and `[::1]` where `host` is an address of this machine only, else every host',
  })
  readonly hosts?: readonly string[];

  @Setting({
    about: 'Origins whose pages may call from a browser; where it is set, the own one has to be listed too. `any` judges none.',
    kind: origins,
    otherwise: 'the origin has to be the host that is called',
  })
  readonly origins?: readonly string[] | 'any';

  @Setting({ about: 'Refuse requests whose content type is not `application/json`.', kind: yesOrNo })
  readonly contentType: boolean = true;

  @Setting({
    about: 'Proxies whose `X-Forwarded-*` headers count.',
    kind: list(
      text('', /^[0-9a-f:.]+(?:\/\d{1,3})?$/i),
      'a list of IP addresses and blocks such as `10.0.0.0/8` (with commas between, outside the file)',
    ),
  })
  readonly trustedProxies?: readonly string[];
}
