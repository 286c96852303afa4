/** The frame of every page: its title, its actions, and its content. */
import { type ReactNode, useEffect, useState } from 'react';
import { RefusalPlace } from './change.ts';
import { Failure } from './states.tsx';

interface PageProps {
  readonly title: string;
  /** Above the title: the way back. */
  readonly trail?: ReactNode;
  /** Beside the title: the state of what is shown. */
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** `title` is also the title of the browser's tab; `trail` leads back to the list of the page. */
export function Page({ title, trail, badge, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Stepwell`;
  }, [title]);
  return (
    <main id="main" className="mx-auto w-full max-w-[90rem] px-3 py-4 sm:px-6" tabIndex={-1}>
      {trail !== undefined && <div className="text-muted">{trail}</div>}
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 title={title} className="line-clamp-3 min-w-0 text-lg font-semibold break-all">
          {title}
        </h1>
        {badge}
        <div className="ml-auto flex flex-wrap gap-2">{actions}</div>
      </div>
      {children}
    </main>
  );
}

/** A part of a page with a border; what the server refused to its rows is shown above them. */
export function Panel({
  title,
  aside,
  children,
}: {
  readonly title?: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  const [refusal, setRefusal] = useState<Error | null>(null);
  return (
    <section className="mb-4 min-w-0 rounded-lg border border-line bg-surface">
      {title !== undefined && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-2">
          <h2 className="min-w-0 font-semibold wrap-anywhere">{title}</h2>
          <div className="ml-auto min-w-0 text-right text-muted">{aside}</div>
        </div>
      )}
      {refusal !== null && <Failure error={refusal} />}
      <RefusalPlace value={setRefusal}>{children}</RefusalPlace>
    </section>
  );
}
