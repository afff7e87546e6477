# COSCHED_UNPACK: the libraries that packed traces are read with.  Each may be
# missing: such a trace is then refused with a clear line.
#
# Substitutes UNPACK_CPPFLAGS, UNPACK_CFLAGS and UNPACK_LIBS and sets the shell
# variable cosched_unpack_text for the summary.
AC_DEFUN([COSCHED_UNPACK], [
UNPACK_CPPFLAGS=
UNPACK_CFLAGS=
UNPACK_LIBS=
cosched_unpack_text=
_COSCHED_UNPACK([ZLIB], [zlib], [gzip])
_COSCHED_UNPACK([LZMA], [liblzma], [xz])
_COSCHED_UNPACK([ZSTD], [libzstd], [zstd])
AC_SUBST([UNPACK_CPPFLAGS])
AC_SUBST([UNPACK_CFLAGS])
AC_SUBST([UNPACK_LIBS])
AS_IF([test -z "$cosched_unpack_text"], [cosched_unpack_text=" plain ones only"])
])

# VARIABLE, module, what it unpacks
AC_DEFUN([_COSCHED_UNPACK], [
PKG_CHECK_MODULES([$1], [$2],
	[UNPACK_CPPFLAGS="$UNPACK_CPPFLAGS -DHAVE_$1"
	 UNPACK_CFLAGS="$UNPACK_CFLAGS $$1_CFLAGS"
	 UNPACK_LIBS="$UNPACK_LIBS $$1_LIBS"
	 cosched_unpack_text="$cosched_unpack_text $3"],
	[AC_MSG_NOTICE([no $2: traces packed with $3 cannot be read])])
])
