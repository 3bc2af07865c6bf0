/** What a component's test mounts; it is taken away after each test. */

import { afterEach } from "vitest";
import { clear } from "./mounting";

export * from "./mounting";

afterEach(clear);
