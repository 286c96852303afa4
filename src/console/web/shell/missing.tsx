/** Shown at an address without a page. */
import { Link } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';

export function Missing() {
  return (
    <Page title="Not found">
      <Empty title="This page does not exist">
        <Link to="/" className="text-accent underline">
          Go to the first page
        </Link>
      </Empty>
    </Page>
  );
}
