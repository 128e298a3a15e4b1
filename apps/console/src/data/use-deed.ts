import { useCallback, useRef, useState } from 'preact/hooks';
import { Refusal } from './http.js';

export interface Deed {
  readonly isSending: boolean;
  /** Why it did not go through. */
  readonly problem?: Refusal;
  /** Does it, unless it is under way. */
  readonly act: (does: () => Promise<void>) => void;
  readonly forget: () => void;
}

/** What a press asks of the server: whether it is under way, and why it failed. */
export function useDeed(): Deed {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Refusal>();
  const isUnderWay = useRef(false);
  const act = useCallback((does: () => Promise<void>) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setProblem(undefined);
    void does()
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        setProblem(error);
      })
      .finally(() => {
        isUnderWay.current = false;
        setSending(false);
      });
  }, []);
  const forget = useCallback(() => setProblem(undefined), []);
  return { isSending, ...(problem && { problem }), act, forget };
}
