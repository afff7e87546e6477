# COSCHED_BUILD: --with-build=SUFFIX, what tells this build from others of one version.
#
# Packages give the rest of their own version; without it, make asks git (Makefile.am).
# Substitutes cosched_build.
AC_DEFUN([COSCHED_BUILD], [
AC_ARG_WITH([build], [AS_HELP_STRING([--with-build=SUFFIX],
	    [shown behind the version, which tells builds apart (the git commit, if any)])],
	    [], [with_build=])
AS_CASE(["$with_build"],
	[yes|no], [with_build=],
	[*[[!A-Za-z0-9.+~-]]*], [AC_MSG_ERROR([--with-build=$with_build: letters, digits and .+~- expected])])
AC_SUBST([cosched_build], [$with_build])
])
