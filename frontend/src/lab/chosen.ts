/** A file that somebody chose. */

export interface Chosen {
  name: string;
  source: string;
}

/** What is needed of an input element. */
interface FileInput {
  readonly files: ArrayLike<Pick<File, "name" | "text">> | null;
  value: string;
}

/**
 * Return the file that was chosen in an input; null if there is none, or it cannot be read. The input forgets it, so
 * that the same file can be chosen again after a change.
 */
export async function chosenFile(input: FileInput): Promise<Chosen | null> {
  const file = input.files?.[0];
  input.value = "";
  const source = await file?.text().catch(() => null);
  return file && typeof source === "string" ? { name: file.name, source } : null;
}
