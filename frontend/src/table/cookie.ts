/** The value of a cookie that scripts may read, empty where there is none. */
export function cookie(name: string): string {
  return (
    document.cookie
      .split("; ")
      .find((each) => each.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? ""
  );
}
