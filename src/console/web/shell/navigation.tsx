/**
 * The navigation between pages: a column beside them, or on a phone, a scrolling row above them.
 */
import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, LogOut, Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSession, useSignOut } from '../api/session.ts';
import { pages } from './pages.ts';

/** On a phone, the row of pages scrolls so that the current page is visible. */
function useCurrentInView() {
  const row = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another current one
  useEffect(() => {
    const current = row.current?.querySelector('[aria-current=page]');
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return row;
}

export function Navigation({ search }: { readonly search: () => void }) {
  return (
    <header className="flex shrink-0 flex-col border-line bg-surface max-md:border-b md:sticky md:top-0 md:h-dvh md:w-44 md:border-r md:p-3">
      <div className="flex items-center gap-2 max-md:px-3 max-md:pt-2">
        <Link to="/" className="px-2 text-base font-bold md:py-1">
          Stepwell
        </Link>
        <button
          type="button"
          onClick={search}
          title="Search (Ctrl K)"
          className="flex items-center gap-2 rounded-md border border-line px-2 py-1 text-muted hover:bg-raised max-md:ml-auto md:hidden"
        >
          <Search className="size-4" />
          Search
        </button>
        <a
          href="/docs"
          aria-label="API"
          title="API"
          className="rounded p-1.5 text-muted hover:bg-raised md:hidden"
        >
          <BookOpen className="size-4" aria-hidden="true" />
        </a>
        <div className="md:hidden">
          <SignOut />
        </div>
      </div>
      <button
        type="button"
        onClick={search}
        className="my-2 hidden items-center gap-2 rounded-md border border-line px-2 py-1 text-muted hover:bg-raised md:flex"
      >
        <Search className="size-4" />
        Search
        <kbd className="ml-auto font-sans text-xs">Ctrl K</kbd>
      </button>
      <PageLinks />
      <div className="mt-auto max-md:hidden">
        <a
          href="/docs"
          className="mb-2 flex items-center gap-2.5 rounded-md px-2 py-1.5 text-muted hover:bg-raised hover:text-ink"
        >
          <BookOpen className="size-4 shrink-0" aria-hidden="true" />
          API
        </a>
        <SignOut />
      </div>
    </header>
  );
}

function PageLinks() {
  const row = useCurrentInView();
  return (
    <nav
      ref={row}
      aria-label="Pages"
      className="flex gap-0.5 overflow-x-auto max-md:p-2 md:flex-col"
    >
      {pages.map(({ to, name, icon: Icon, key }) => (
        <Link
          key={to}
          to={to}
          title={`${name} (g ${key})`}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className="flex items-center gap-2.5 rounded-md px-2 py-1.5 whitespace-nowrap text-muted hover:bg-raised hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          <Icon className="size-4 shrink-0" aria-hidden="true" />
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** Who is signed in, and the button to sign out. */
function SignOut() {
  const { data } = useSession();
  const signOut = useSignOut();
  const { principal, role } = data?.session ?? { principal: '', role: '' };
  return (
    <div className="flex items-center gap-2 text-xs text-muted md:px-2">
      <div className="min-w-0 max-md:hidden">
        <div className="truncate" title={`Signed in as ${principal}`}>
          {principal}
        </div>
        <div>{role === 'read' ? 'read only' : role}</div>
      </div>
      <button
        type="button"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => signOut.mutate()}
        className="ml-auto rounded p-1.5 hover:bg-raised hover:text-ink"
      >
        <LogOut className="size-4" />
      </button>
    </div>
  );
}
