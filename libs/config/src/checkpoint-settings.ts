import { integer, text, yesOrNo } from './kind.js';
import { Setting } from './setting.js';

export class CheckpointSettings {
  @Setting({ about: 'Whether this projector signs checkpoints of the log (docs/proof.md).', kind: yesOrNo })
  readonly write: boolean = true;

  @Setting({
    about: 'Folder that the checkpoints go to. Best on another disk, or another machine’s, than the log.',
    kind: text('a folder', /^[^\0]+$/),
    otherwise: '`checkpoints` in the data folder',
  })
  readonly folder?: string;

  @Setting({
    about: 'File of the Ed25519 key (PEM) that signs them; only its owner may read it.',
    kind: text('a file', /^[^\0]+$/),
    otherwise: 'made at the first start, in `checkpoint-key.pem` of the data folder',
  })
  readonly keyFile?: string;

  @Setting({ about: 'Longest time between two of them while the log grows, in milliseconds.', kind: integer(1000, 24 * 3_600_000) })
  readonly everyMs: number = 60_000;

  @Setting({ about: 'Most records between two of them.', kind: integer(1, 100_000_000) })
  readonly everyRecords: number = 10_000;
}
