import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly first: string;
  /** What the second press does. */
  readonly second: string;
  readonly isSending: boolean;
  readonly act: () => void;
}

/** A button that asks before it acts. */
export function TwoPress({ first, second, isSending, act }: Props) {
  const [isAsking, setAsking] = useState(false);
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => confirm.current?.focus(), [isAsking]);
  return isAsking ? (
    <span class="buttons">
      <button ref={confirm} type="button" class="button small primary" disabled={isSending} onClick={act}>
        {isSending ? 'Sending…' : second}
      </button>
      <button type="button" class="button small quiet" disabled={isSending} onClick={() => setAsking(false)}>
        Back
      </button>
    </span>
  ) : (
    <button type="button" class="button small" onClick={() => setAsking(true)}>
      {first}
    </button>
  );
}
