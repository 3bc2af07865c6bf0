/** Return the built-in bot that is wanted, or else the first of those that play the kind. */
export const programOf = (wanted: string, programs: readonly string[]): string =>
  programs.includes(wanted) ? wanted : (programs[0] ?? wanted);
