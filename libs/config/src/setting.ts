import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';
import type { Kind } from './kind.js';

/** What is known of a setting, written once beside its property: errors, `config print`, `--help` and the reference page read it here. */
export interface SettingAbout {
  /** One or two sentences for the reference page and `--help`. */
  readonly about: string;
  readonly kind: Kind;
  /** Its value is never printed, and there is no flag for it: everybody on the machine can read a process's arguments. */
  readonly secret?: true;
  /** The default in words, where it is not the property's initial value. */
  readonly otherwise?: string;
}

export interface SettingInfo extends SettingAbout {
  /** Where it stands in the configuration file: `port`, `door.path`. */
  readonly path: string;
  /** `DOORLEDGER_` and the path in upper snake case. */
  readonly env: string;
  /** `--door-path`; absent for a secret. */
  readonly flag?: string;
  readonly default: unknown;
}

type SectionClass = new () => object;
type Entry = { readonly name: string } & ({ readonly setting: SettingAbout } | { readonly section: SectionClass });

const entriesOf = new Map<object, Entry[]>();

function add(prototype: object, entry: Entry): void {
  const entries = entriesOf.get(prototype) ?? [];
  entries.push(entry);
  entriesOf.set(prototype, entries);
}

/** A property that holds one value. Without an initial value it may be left out. */
export function Setting(setting: SettingAbout): PropertyDecorator {
  return (prototype, name) => {
    add(prototype, { name: String(name), setting });
    ValidateBy({
      name: 'setting',
      validator: {
        validate: (value) => value === undefined || setting.kind.accepts(value),
        defaultMessage: (given) => `must be ${setting.kind.why?.(given?.value) ?? setting.kind.allowed}`,
      },
    })(prototype, name);
  };
}

/** A property that groups settings of its own. */
export function Section(section: SectionClass): PropertyDecorator {
  return (prototype, name) => {
    add(prototype, { name: String(name), section });
    ValidateNested()(prototype, name);
    Type(() => section)(prototype, name);
  };
}

const words = (path: string): string[] => path.split('.').flatMap((part) => part.split(/(?=[A-Z])/));

/** Every setting under a class, in the order it is declared. */
export function settingsOf(section: SectionClass, prefix = ''): SettingInfo[] {
  const initial = new section() as Record<string, unknown>;
  return (entriesOf.get(section.prototype as object) ?? []).flatMap((entry): SettingInfo[] => {
    const path = prefix + entry.name;
    if ('section' in entry) return settingsOf(entry.section, `${path}.`);
    const parts = words(path);
    return [
      {
        ...entry.setting,
        path,
        env: `DOORLEDGER_${parts.join('_').toUpperCase()}`,
        ...(!entry.setting.secret && { flag: `--${parts.join('-').toLowerCase()}` }),
        default: initial[entry.name],
      },
    ];
  });
}
