/** Links an item to its events in the journal, and to the differences between two of them. */
import { Link } from '@tanstack/react-router';

/** `stream` is `<kind>/<id>`. */
export function JournalLink({ stream }: { readonly stream: string }) {
  return (
    <Link to="/time-machine" search={{ stream }} className="text-accent hover:underline">
      its events, and what changed between two of them
    </Link>
  );
}
