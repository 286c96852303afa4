/** Uses at once what is at hand, as it mostly is, and what must be read once that is done. */
export function whenRead<Found, Made>(
  found: Found | Promise<Found>,
  use: (found: Found) => Made | Promise<Made>,
): Made | Promise<Made> {
  return found instanceof Promise ? found.then(use) : use(found);
}
