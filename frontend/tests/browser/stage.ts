/** Mounts a component for a test, and removes it after each test. */

import { afterEach } from "vitest";
import { clear } from "./mounting";

export * from "./mounting";

afterEach(clear);
