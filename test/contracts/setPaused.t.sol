// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract SetPausedTest is RegistryTest {
    function test_only_root_and_guardians_pause() public {
        expectGuardiansOnly(abi.encodeCall(IRegistry.setPaused, (true)));
    }

    function test_only_root_unpauses() public {
        pause();
        expectRootOnly(abi.encodeCall(IRegistry.setPaused, (false)));
    }

    function test_pauses_and_unpauses_and_tells() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.PausedSet(true, guardian);
        pause();
        assertTrue(registry.paused());
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.PausedSet(false, root);
        vm.prank(root);
        registry.setPaused(false);
        assertFalse(registry.paused());
    }

    function test_again_changes_nothing() public {
        pause();
        pause();
        assertTrue(registry.paused());
        vm.startPrank(root);
        registry.setPaused(false);
        registry.setPaused(false);
        assertFalse(registry.paused());
    }
}
