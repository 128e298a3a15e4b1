import { useKeys } from './keys.js';

/** `j` and `k` move among the rows of the column, and open nothing; `Esc` leaves what is opened. */
export function useRowKeys(leave: (() => void) | undefined): void {
  const move = (by: number) => {
    const rows = [...document.querySelectorAll<HTMLElement>('.column .row')];
    const focused = rows.findIndex((row) => row === document.activeElement);
    const from = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute('aria-current'));
    rows[Math.min(rows.length - 1, Math.max(0, from + by))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1), ...(leave && { Escape: leave }) });
}
