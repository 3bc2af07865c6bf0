/**
 * Keeps an image of Python's memory in this browser, as it is when the library is imported and nothing has run. A page
 * that is opened again continues from it, and need not start Python (docs/adr/0038-the-lab.md).
 */

/**
 * The memory, and the library's files: what Python reads later is in no memory. A blob is handed on without a copy, and
 * is read several times faster than bytes in the database.
 */
export interface Image {
  memory: Blob;
  files: [path: string, content: Uint8Array<ArrayBuffer>][];
}

const DATABASE = "scorebook.lab";
const STORE = "images";

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error(request.error?.message));
  });

async function images(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  return database.transaction(STORE, mode).objectStore(STORE);
}

/** Return the image of these parts; null if there is none. A browser may refuse to keep anything. */
export async function keptImage(key: string): Promise<Image | null> {
  try {
    return ((await done((await images("readonly")).get(key))) as Image | undefined) ?? null;
  } catch {
    return null;
  }
}

/** Return whether there is an image, maybe of other parts. */
export async function hasImage(): Promise<boolean> {
  try {
    return (await done((await images("readonly")).count())) > 0;
  } catch {
    return false;
  }
}

/** Keep the image of these parts, and no other one. */
export async function keepImage(key: string, image: Image): Promise<void> {
  try {
    const store = await images("readwrite");
    store.clear();
    await done(store.put(image, key));
  } catch {
    return; // Python is started each time
  }
}
