package browser_test

func orphanParent() {}
