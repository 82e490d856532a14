// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRegistry} from "../../../contracts/interfaces/IRegistry.sol";
import {CaratTest} from "./CaratTest.sol";

/// @notice What the tests of the registry's operations share.
abstract contract RegistryTest is CaratTest {
    function notRoot(address caller) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IRegistry.NotRoot.selector, caller);
    }

    function notGuardian(address caller) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IRegistry.NotGuardian.selector, caller);
    }

    /// @dev Everyone but root and guardian.
    function others() internal view returns (address[] memory list) {
        list = new address[](6);
        (list[0], list[1], list[2]) = (operator, upgrader, buyer);
        (list[3], list[4], list[5]) = (diamond, address(batcher), stranger);
    }

    function expectRefused(address caller, bytes memory call_, bytes memory reason) internal {
        vm.prank(caller);
        (bool ok, bytes memory answer) = address(registry).call(call_);
        assertFalse(ok);
        assertEq(answer, reason);
    }

    /// @dev Root alone gets through; the state is as before afterwards.
    function expectRootOnly(bytes memory call_) internal {
        expectRefused(guardian, call_, notRoot(guardian));
        for (uint256 i; i < others().length; ++i) {
            expectRefused(others()[i], call_, notRoot(others()[i]));
        }
        requireWorks(root, call_);
    }

    /// @dev Root and guardian get through; the state is as before afterwards.
    function expectGuardiansOnly(bytes memory call_) internal {
        for (uint256 i; i < others().length; ++i) {
            expectRefused(others()[i], call_, notGuardian(others()[i]));
        }
        requireWorks(root, call_);
        requireWorks(guardian, call_);
    }

    function requireWorks(address caller, bytes memory call_) private {
        uint256 state = vm.snapshotState();
        vm.prank(caller);
        (bool ok,) = address(registry).call(call_);
        assertTrue(ok);
        vm.revertToState(state);
    }

    function enabled(bytes32 role, address account) internal view returns (bool has) {
        (has,) = registry.roleState(role, account);
    }
}
