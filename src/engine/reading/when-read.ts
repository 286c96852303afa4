/** What mostly is at hand and is read from the journal otherwise: used at once where it is there. */
export function whenRead<Found, Made>(
  found: Found | Promise<Found>,
  use: (found: Found) => Made | Promise<Made>,
): Made | Promise<Made> {
  return found instanceof Promise ? found.then(use) : use(found);
}
