import type { ComponentChildren, Ref } from 'preact';

/** Buttons of which one is pressed. */
export const Choice = <T extends string>({
  label,
  of,
  chosen,
  choose,
}: {
  readonly label: string;
  readonly of: readonly (readonly [T, ComponentChildren])[];
  readonly chosen: T | undefined;
  readonly choose: (value: T) => void;
}) => (
  <div class="choice" role="group" aria-label={label}>
    {of.map(([value, text]) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
        {text}
      </button>
    ))}
  </div>
);

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly hint?: string;
  readonly isHidden?: boolean;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
}

export const Field = ({ label, value, change, hint, isHidden = false, required = false, maxLength, inputRef }: FieldProps) => (
  <label class="field">
    <span class={isHidden ? 'sr' : 'label'}>{label}</span>
    <input
      ref={inputRef ?? null}
      type="text"
      class="input"
      value={value}
      placeholder={hint}
      required={required}
      maxLength={maxLength}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);
