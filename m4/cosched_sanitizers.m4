# COSCHED_SANITIZERS: --enable-sanitizers builds everything but the plugins under
# AddressSanitizer and UndefinedBehaviorSanitizer; each finding ends the program.
AC_DEFUN([COSCHED_SANITIZERS], [
AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers],
	      [build library, command and tests with ASan and UBSan])])
AS_IF([test "x$enable_sanitizers" = xyes],
      [SANITIZE_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"])
AC_SUBST([SANITIZE_CFLAGS])
])
