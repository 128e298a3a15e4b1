import { useCallback, useEffect, useState } from 'preact/hooks';
import { Refusal, ask } from '../data/http.js';
import type { ShownCall } from '../data/types.js';
import type { Previous } from './arguments.js';

export interface OpenedCall {
  readonly call?: ShownCall;
  readonly previous?: Previous;
  readonly problem?: Refusal;
  readonly again: () => void;
}

/** The exact call of a request, read once: that somebody looked is a fact on the log. It stays when the request is answered. */
export function useCall(requestId: string): OpenedCall {
  const [opened, setOpened] = useState<{ of: string; call?: ShownCall; previous?: Previous; problem?: Refusal }>({ of: requestId });
  const load = useCallback(async () => {
    try {
      const call = await ask<ShownCall>(`/v1/consents/${requestId}/call`);
      setOpened({ of: requestId, call });
      const previous = await ask<Previous>(`/v1/consents/${requestId}/previous`).catch(() => undefined);
      if (previous) setOpened((before) => (before.of === requestId ? { ...before, previous } : before));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setOpened((before) => (before.of === requestId && before.call ? before : { of: requestId, problem: error }));
    }
  }, [requestId]);
  useEffect(() => void load(), [load]);
  const again = useCallback(() => void load(), [load]);
  const { of, ...rest } = opened;
  return { ...(of === requestId && rest), again };
}
