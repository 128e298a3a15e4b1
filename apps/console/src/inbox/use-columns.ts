import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

const GUTTER = 52;
const OLD_SHARE = 0.36;
const OLD_GAP = 24;
/** Below this width earlier values stand below and not beside. */
const NARROW = 620;
const SAMPLE = 'm'.repeat(100);

/** How many characters fit a row of the box, and beside it. */
export function useColumns(box: RefObject<HTMLElement | null>, hasOld: boolean): { columns: number; oldColumns: number } {
  const [size, setSize] = useState({ width: 0, character: 8 });
  useLayoutEffect(() => {
    const element = box.current!;
    const probe = document.createElement('span');
    probe.className = 'mono probe';
    probe.textContent = SAMPLE;
    element.append(probe);
    const character = probe.getBoundingClientRect().width / SAMPLE.length;
    probe.remove();
    const watch = new ResizeObserver(() => setSize({ width: element.clientWidth, character }));
    watch.observe(element);
    setSize({ width: element.clientWidth, character });
    return () => watch.disconnect();
  }, [box]);
  const { width, character } = size;
  const isBeside = hasOld && width >= NARROW;
  const old = isBeside ? Math.floor(width * OLD_SHARE) : 0;
  const fit = (pixels: number) => Math.max(16, Math.floor(pixels / character));
  return { columns: fit(width - GUTTER - old - (isBeside ? OLD_GAP : 12)), oldColumns: isBeside ? fit(old - 8) : 0 };
}
