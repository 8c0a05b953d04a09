"""The commands of ``s2s``, a module each: parse, call one function of the library, print."""
