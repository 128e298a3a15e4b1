import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { ConsentItem } from '../data/types.js';
import type { Pages } from '../data/use-pages.js';
import { More } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { RequestList } from './list.js';

/** Requests that were opened in this tab. */
export const seen = new Set<string>();

const TRY = `curl -s ${location.origin}/invoke -H 'content-type: application/json' \\
  -d '{"sessionId": "try", "input": "/call files.write_file {\\"path\\": \\"hello.txt\\", \\"content\\": \\"hello\\"}"}'`;

interface Props {
  readonly view: 'waiting' | 'answered';
  readonly pages: Pages<ConsentItem>;
  /** As they are shown: what is new may be held back. */
  readonly items: readonly ConsentItem[];
  readonly gone: ReadonlySet<string>;
  readonly opened: string | undefined;
}

/** Requests that wait, or those that were answered. */
export function Requests({ view, pages, items, gone, opened }: Props) {
  const who = useStore(me);
  if (pages.problem)
    return <Problem of={pages.problem} what="Requests cannot be shown, and old ones are not shown instead." again={pages.again} />;
  if (!pages.data) return <Loading what="The list" />;
  if (items.length === 0 && !pages.hasMore)
    return view === 'answered' ? (
      <Empty title="Nothing was answered yet.">
        What is approved, declined, closed or expired stands here, and what became of its call.
      </Empty>
    ) : (
      <Empty title="Nothing waits." command={TRY}>
        A call stops here when its tool has a gate or a rule asks. With <code>npm start -- --config examples/tools.config.yaml</code> this
        one does:
      </Empty>
    );
  return (
    <>
      <RequestList
        items={items}
        opened={opened}
        me={who?.userRef}
        seen={seen}
        gone={gone}
        query={view === 'answered' ? { view } : undefined}
      />
      <More of={pages} />
    </>
  );
}
