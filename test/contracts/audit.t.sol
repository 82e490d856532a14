// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CaratTest} from "./support/CaratTest.sol";

/// @notice What attacks from outside have found, beside the tests of each operation.
contract AuditTest is CaratTest {
    /// @dev What a node gives an `eth_call` that names no gas: geth's default. These words need a small part of it.
    uint256 internal constant GAS_OF_A_CALL = 50_000_000;

    /// @dev 500 deals are one call of the watcher and of the lane: most are one merchant's, the others have one each.
    function test_a_busy_diamond_among_others_is_answered() public {
        address[] memory diamonds = new address[](100);
        uint256[][] memory ids = new uint256[][](100);
        for (uint256 i; i < 100; ++i) {
            diamonds[i] = registry.createDiamond(NODE, bytes16(uint128(1000 + i)));
            ids[i] = idsOf(someKeys(1, i == 0 ? 401 : 1));
        }
        bytes32[][] memory words = batcher.dealWords{gas: GAS_OF_A_CALL}(diamonds, ids);
        assertEq(words[99].length, 1);
        assertEq(words[0].length, 401, "a diamond that is as it should be does not answer");
    }
}
