/** The frame of every page: navigation, banners, shortcuts, and before all of that, signing in. */
import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useLive } from '../api/live.ts';
import { useSession, useSignIn } from '../api/session.ts';
import { useKeys } from '../parts/keys.ts';
import { Failure, Skeleton } from '../parts/states.tsx';
import { Banners } from './banners.tsx';
import { KeyList } from './key-list.tsx';
import { Navigation } from './navigation.tsx';
import { pages } from './pages.ts';
import { SignIn } from './sign-in.tsx';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(loadPalette);

export function Shell() {
  const session = useSession();
  const signIn = useSignIn();
  const hadSession = useRef(false);
  const { data, error } = session;
  if (data?.session != null) hadSession.current = true;
  // A developer who has signed out is not signed in again, although no credential is required.
  const isDeveloper = data?.needsNothing === true && data.session === null && !hadSession.current;
  const { mutate } = signIn;
  useEffect(() => {
    if (isDeveloper) mutate({});
  }, [isDeveloper, mutate]);
  if (error !== null && data === undefined) {
    return <Failure error={error} retry={() => session.refetch()} />;
  }
  if (data === undefined || (isDeveloper && !signIn.isError)) return <Skeleton lines={3} />;
  return data.session === null ? <SignIn /> : <Frame />;
}

function Frame() {
  useLive();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  const close = () => setOpen(null);
  useKeys({
    ...Object.fromEntries(pages.map(({ key, to }) => [`g ${key}`, () => navigate({ to })])),
    '/': () => document.querySelector<HTMLElement>('[data-first-filter]')?.focus(),
    '?': () => setOpen('keys'),
  });
  // Otherwise the page would take what is typed before the palette is loaded for shortcuts, and
  // after an upgrade of the server it could not be loaded at all.
  useEffect(() => {
    loadPalette().catch(() => undefined);
  }, []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen('palette');
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <div className="min-h-dvh md:flex">
      <a
        href="#main"
        className="absolute -top-20 left-2 z-20 rounded-md bg-accent-fill px-3 py-2 text-on-fill focus:top-2"
      >
        Skip to the page
      </a>
      <Navigation search={() => setOpen('palette')} />
      <div className="min-w-0 flex-1">
        <Banners />
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </div>
      {open === 'palette' && (
        <Suspense fallback={null}>
          <Palette close={close} />
        </Suspense>
      )}
      {open === 'keys' && <KeyList close={close} />}
    </div>
  );
}
